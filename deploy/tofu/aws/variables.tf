variable "cluster" {
  description = "The cluster's name; part of the names of all resources."
  type        = string
  default     = "shop"
  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{0,30}$", var.cluster))
    error_message = "The cluster's name must be 1 to 31 of a-z, 0-9 and '-'."
  }
}

variable "regions" {
  description = "The three regions: their names in Morty, their names in AWS, and networks that do not overlap."
  type = list(object({
    name         = string
    cloud_region = string
    cidr         = string
    servers      = number
    clients      = number
  }))
  default = [
    { name = "us-east", cloud_region = "us-east-1", cidr = "10.10.0.0/16", servers = 1, clients = 1 },
    { name = "eu-west", cloud_region = "eu-west-1", cidr = "10.20.0.0/16", servers = 1, clients = 1 },
    { name = "ap-south", cloud_region = "ap-south-1", cidr = "10.30.0.0/16", servers = 1, clients = 1 },
  ]
  validation {
    condition     = length(var.regions) == 3
    error_message = "There must be exactly three regions, because the number of providers is fixed."
  }
  validation {
    condition     = length(distinct(var.regions[*].cidr)) == 3 && alltrue([for r in var.regions : can(cidrhost(r.cidr, 1))])
    error_message = "Every region needs its own network, such as 10.10.0.0/16."
  }
}

variable "server_type" {
  description = "The instance type of servers."
  type        = string
  default     = "m7i.2xlarge"
}

variable "client_type" {
  description = "The instance type of client machines, for applications and benchmarks."
  type        = string
  default     = "m7i.xlarge"
}

variable "data_gib" {
  description = "The size of each server's data volume."
  type        = number
  default     = 100
}

variable "operator_cidrs" {
  description = "The networks that may use SSH, from which the playbooks run. Without any, nobody can."
  type        = list(string)
  default     = []
}

variable "ssh_public_key_file" {
  description = "The operators' public key. The private key stays with them."
  type        = string
}

variable "cluster_port" {
  description = "The port where servers listen; morty_port of the playbooks."
  type        = number
  default     = 7400
}

variable "admin_port" {
  description = "The admin port of servers; morty_admin_port of the playbooks."
  type        = number
  default     = 9464
}
