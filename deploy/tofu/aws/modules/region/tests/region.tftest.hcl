# Plans one region with a mocked provider.
mock_provider "aws" {
  override_during = plan
  mock_data "aws_availability_zones" {
    defaults = { names = ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"] }
  }
}

variables {
  cluster        = "shop"
  region         = { name = "us-east", cidr = "10.10.0.0/16", servers = 4, clients = 1 }
  cidrs          = ["10.10.0.0/16", "10.20.0.0/16", "10.30.0.0/16"]
  server_type    = "m7i.2xlarge"
  client_type    = "m7i.xlarge"
  data_gib       = 100
  operator_cidrs = []
  public_key     = "ssh-ed25519 AAAA"
  cluster_port   = 7400
  admin_port     = 9464
}

run "servers_are_spread_over_the_zones_with_their_volumes" {
  command = plan
  assert {
    condition     = [for name in ["us-east-1", "us-east-2", "us-east-3", "us-east-4"] : aws_ebs_volume.data[name].availability_zone] == ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1a"]
    error_message = "The volumes are not spread over three zones in turn."
  }
  assert {
    condition     = keys(aws_volume_attachment.data) == keys(aws_ebs_volume.data) && keys(aws_instance.server) == keys(aws_ebs_volume.data)
    error_message = "A server has no volume."
  }
  assert {
    condition     = alltrue([for volume in aws_ebs_volume.data : volume.encrypted && volume.size == 100])
    error_message = "A volume is not encrypted, or has another size."
  }
  assert {
    condition     = [for subnet in aws_subnet.this : subnet.cidr_block] == ["10.10.0.0/24", "10.10.1.0/24", "10.10.2.0/24"]
    error_message = "The subnets overlap."
  }
}

run "nobody_uses_ssh_without_operator_cidrs" {
  command = plan
  assert {
    condition     = length(aws_vpc_security_group_ingress_rule.ssh) == 0
    error_message = "Port 22 is open."
  }
  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.cluster : rule.cidr_ipv4]) == toset(var.cidrs)
    error_message = "The cluster port is open to others, or closed to a region."
  }
}
