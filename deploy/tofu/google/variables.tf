variable "project" {
  description = "The Google Cloud project; Compute Engine must be enabled in it."
  type        = string
}

variable "cluster" {
  description = "The cluster's name; part of the names of all resources."
  type        = string
  default     = "shop"
  validation {
    condition     = can(regex("^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$", var.cluster))
    error_message = "The cluster's name must be 1 to 20 of a-z, 0-9 and '-', begin with a letter and not end with '-'."
  }
}

variable "regions" {
  description = "The regions: their names in Morty, their names in Google Cloud, and networks that do not overlap."
  type = list(object({
    name         = string
    cloud_region = string
    cidr         = string
    servers      = number
    clients      = number
  }))
  default = [
    { name = "us-east", cloud_region = "us-east4", cidr = "10.10.0.0/16", servers = 1, clients = 1 },
    { name = "eu-west", cloud_region = "europe-west1", cidr = "10.20.0.0/16", servers = 1, clients = 1 },
    { name = "ap-south", cloud_region = "asia-south1", cidr = "10.30.0.0/16", servers = 1, clients = 1 },
  ]
  validation {
    condition     = length(distinct(var.regions[*].name)) == length(var.regions)
    error_message = "Two regions have the same name."
  }
  validation {
    condition     = length(distinct(var.regions[*].cidr)) == length(var.regions) && alltrue([for r in var.regions : can(cidrhost(r.cidr, 1))])
    error_message = "Every region needs its own network, such as 10.10.0.0/16."
  }
}

variable "server_type" {
  description = "The machine type of servers."
  type        = string
  default     = "n2-standard-8"
}

variable "client_type" {
  description = "The machine type of client machines, for applications and benchmarks."
  type        = string
  default     = "n2-standard-4"
}

variable "data_gib" {
  description = "The size of each server's data disk."
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
